// Unpacks the data and the script of the page, and runs that; its policy allows that text and no other.
// Meanwhile the story is not laid out, which the table takes the place of; it comes back if nothing else does.

const unpacked = (held) => {
  const text = atob(held.textContent), packed = Uint8Array.from(text, (one) => one.charCodeAt(0));
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
