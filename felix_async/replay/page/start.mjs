// Unpacks the data and the script of the page, and runs that; its policy allows that text and no other.
// Meanwhile the story is not laid out, which the table takes the place of; it comes back if nothing else does.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~";
// Five digits to the base of 85 are four bytes; of the last group the bytes that its digits fill.
const unpacked = (held) => {
  const text = held.textContent, groups = text.match(/.{1,5}/g), view = new DataView(new ArrayBuffer(groups.length * 4));
  groups.forEach((group, at) => {
    const value = [...group.padEnd(5, "~")].reduce((sum, one) => sum * 85 + DIGITS.indexOf(one), 0);
    view.setUint32(at * 4, value);
  });
  const packed = view.buffer.slice(0, Math.floor(text.length * 0.8));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
};
const start = async () => {
  const script = document.createElement("script"), data = document.getElementById("felix-decisions");
  script.type = "module";
  [script.textContent, data.textContent] =
    await Promise.all([document.getElementById("felix-script"), data].map(unpacked));
  document.body.append(script);
};
const {classList} = document.documentElement, giveUp = () => classList.remove("starting");
classList.add("starting");
setTimeout(giveUp, 3000);
start().catch(giveUp);
