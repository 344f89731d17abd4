// What the work needs of its browser. All of it comes in by this one door, so that the tests can
// bring storage, clock, timers, network and locks of their own, and no browser.

/** The environment of a real page. */
export function ofBrowser() {
  return {
    /** Where things outlive the page. May throw: browsers forbid it here and there. */
    items: () => localStorage,
    /** Locks between the tabs of a browser; missing on plain http from another machine. */
    locks: () => navigator.locks,
    fetch: (address, options) => fetch(address, options),
    clock: () => Date.now(),
    random: () => Math.random(),
    uuid,
    /** Whether somebody may be looking at the page. */
    seen: () => !document.hidden,
    /** Call something later, once; returns what calls it off. */
    later: (milliseconds, call) => {
      const timer = setTimeout(call, milliseconds);
      return () => clearTimeout(timer);
    },
    /** Call something whenever the network is back; returns what ends that. */
    online: (call) => {
      addEventListener("online", call);
      return () => removeEventListener("online", call);
    },
  };
}

/** A random UUID; `crypto.randomUUID` is missing on plain http from another machine. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
