/** How often the clock of the machine is looked at, in ms. */
const EVERY_MS = 5;

/** Watches whether the clock of the machine is set while the chaos goes on: what was claimed when would then mean nothing. */
export function watchClock(): { readonly stop: () => number } {
  // Read again where this process was interrupted between the two clocks: that is no step.
  const offset = (): number => {
    for (;;) {
      const [from, at, to] = [performance.now(), Date.now(), performance.now()];
      if (to - from < 1) return at - to;
    }
  };
  let before = offset();
  let mostMs = 0;
  const timer = setInterval(() => {
    const now = offset();
    mostMs = Math.max(mostMs, Math.abs(now - before));
    before = now;
  }, EVERY_MS);
  return {
    /** @returns the largest step that was seen, in ms; about 1 when there was none, because `Date.now` is rounded */
    stop: () => {
      clearInterval(timer);
      return Math.round(mostMs);
    },
  };
}
