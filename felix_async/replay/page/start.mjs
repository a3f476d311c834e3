// Unpacks the script of the page and runs it; the policy of the page allows that text and no other.
// Meanwhile the story is not laid out, which the table takes the place of; it comes back if nothing else does.

const start = async () => {
  const text = atob(document.getElementById("felix-script").textContent), packed = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place++) packed[place] = text.charCodeAt(place);
  const unpacking = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = await new Response(unpacking).text();
  document.body.append(script);
};
const {classList} = document.documentElement, giveUp = () => classList.remove("starting");
classList.add("starting");
setTimeout(giveUp, 3000);
start().catch(giveUp);
