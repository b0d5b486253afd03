import { value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asTimes } from '../texts.ts';

/** Between which delays it draws if it is given one number, which only the first draw depends on. */
const [LOWEST_S, HIGHEST_S] = [5, 30];

/** The highest delay of each draw in seconds, up to the cap: below three times the one before. */
function highest(least: number, most: number, before: number): readonly number[] {
  const highestS = Math.min(least + Math.abs(3 * before - least) - 1, most);
  return highestS >= most || highestS <= before ? [highestS] : [highestS, ...highest(least, most, highestS)];
}

/** mosquitto: `restart_timeout` of a bridge. */
export const mosquittoBridge: System = /* @__PURE__ */ defineSystem({
  name: 'mosquitto-bridge',
  title: 'Mosquitto bridge',
  version: '2.0.11',
  fidelity: 'range',
  remarks: [
    'Each delay is drawn from the one before: from the lowest to three times of it. It waits a second more than it draws.',
    'One number is not a constant delay: after the first, it draws from 5 to 30 s. Since 2.0.15 it is one.',
  ],
  options: {
    restart_timeout: value(
      { unit: 'text', parse: asTimes, must: 'seconds: "10" or "10 30"', shown: '5 to 30' },
      [],
      'the lowest and the highest delay in seconds; with one number, they are 5 and 30',
    ),
  },
  policy: ({ restart_timeout: [firstMs, mostMs] }) => {
    const firstS = firstMs === undefined ? 0 : Math.max(Math.trunc(firstMs / 1_000), 1);
    const leastS = mostMs === undefined ? LOWEST_S : firstS;
    const mostS = mostMs === undefined ? HIGHEST_S : Math.max(Math.trunc(mostMs / 1_000), leastS);
    const highestS = highest(leastS, mostS, firstS);
    return {
      maxAttempts: Infinity,
      backoff: list(highestS.map((drawnS) => (drawnS + 1) * 1_000)),
      jitter: 'full',
      minDelay: (leastS + 1) * 1_000,
      granularity: 1_000,
    };
  },
});
