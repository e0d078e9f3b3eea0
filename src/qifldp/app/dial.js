// A slider over round stops, and a box for any value, kept in step here: the server is told what was chosen, and says what
// is in use. What the user does goes before what the server says: an answer to an earlier choice changes nothing.

const FINE = 1000; // places of the slider between two stops, for values that the box was given
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3 };
const memory = new WeakMap();

// A browser that finds its server again asks it for nothing. So one dial does: a server that was started again makes the
// page anew, and what was chosen while there was none is heard.
const connected = () => {
  const app = document.querySelector("[data-test-connection-state]");
  return !app || app.dataset.testConnectionState === "CONNECTED";
};
let lost = false;
setInterval(() => {
  if (lost && connected()) memory.get(document.querySelector(".dial input"))?.wake();
  lost = !connected();
}, 500);

const amount = (text) => Number(text.replace(/[,\s]/g, ""));

// Where a value stands among stops: 1.5 is half way, by the ratio, from the second to the third.
function placeOf(value, stops) {
  const above = stops.findIndex((stop) => stop >= value);
  if (above < 0) return stops.length - 1;
  if (above === 0) return 0;
  return above - 1 + Math.log(value / stops[above - 1]) / Math.log(stops[above] / stops[above - 1]);
}

export default function ({ data, parentElement, setStateValue }) {
  const [range, box] = parentElement.querySelectorAll(".dial input");
  if (!memory.has(range)) memory.set(range, { session: data.session, count: data.count, text: "", held: false });
  const mine = memory.get(range);
  const stops = data.stops.map(amount);
  const last = stops.length - 1;

  const label = parentElement.querySelector("label");
  label.textContent = data.label;
  label.htmlFor = range.id = `dial-${data.field}`;
  box.setAttribute("aria-label", `${data.label}, exactly`);
  box.setAttribute("aria-invalid", data.refused);
  box.maxLength = data.longest;
  range.max = last * FINE;
  range.disabled = box.disabled = data.fixed;

  const stand = (value) => {
    range.value = Math.round(placeOf(value, stops) * FINE);
    range.style.setProperty("--part", `${last ? (100 * range.value) / range.max : 0}%`);
    range.setAttribute("aria-valuetext", box.value);
  };
  const stop = (index) => {
    box.value = data.stops[Math.min(Math.max(index, 0), last)];
    stand(amount(box.value));
  };
  mine.wake = () => setStateValue("woken", Date.now());
  const give = () => {
    mine.held = false;
    mine.text = box.value;
    mine.count += 1;
    setStateValue("given", { text: mine.text, count: mine.count, session: mine.session });
  };
  // Show what is in use, unless the user is at it, or has chosen something that the server has not heard of.
  const show = () => {
    const typing = parentElement.contains(document.activeElement) && box.value !== mine.text;
    if (!data.fixed && (mine.held || typing || data.count < mine.count)) return;
    box.value = mine.text = data.text;
    stand(data.value);
  };
  const settle = () => {
    mine.held = false;
    show();
  };
  const write = () => {
    if (box.value === mine.text) return show();
    if (amount(box.value) > 0) stand(amount(box.value)); // other ways to write a number the server reads
    give();
  };

  range.oninput = () => {
    mine.held = true;
    stop(Math.round(range.value / FINE));
  };
  range.onchange = () => (box.value === mine.text ? settle() : give());
  range.onpointercancel = range.ontouchcancel = () => {
    box.value = mine.text;
    settle();
  };
  range.onpointerup = range.onblur = () => setTimeout(() => mine.held && range.onchange()); // the change comes first
  range.onkeydown = (event) => {
    const steps = STEPS[event.key];
    if (!steps || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = range.value / FINE;
    if (steps > 0 ? at >= last : at <= 0) return;
    stop((steps > 0 ? Math.floor(at) : Math.ceil(at)) + steps);
    give();
  };
  box.onchange = box.onblur = write;
  box.onkeydown = (event) => {
    if (event.key === "Enter") write();
  };

  // Another session is a server that was started again: what it has not heard of is said once more.
  const unheard = mine.session !== data.session && mine.count > mine.heard && !data.fixed;
  if (mine.session !== data.session) Object.assign(mine, { session: data.session, count: data.count });
  mine.heard = data.count;
  if (unheard) give();
  else show();
}
