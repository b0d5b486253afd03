import type { RatePoint, Traffic } from '../world/world.ts';
import { drawExponential } from './draws.ts';
import type { Answer, Site } from './server.ts';

/** Begins a call. @param number - of the client, or of the process that an arrival falls to, counted from 0 */
export type Begin = (number: number, answer: Answer) => void;

/** Begins the calls of a run: those that arrive by themselves, or those of clients that wait for their answers. */
export function startTraffic(site: Site, begin: Begin): void {
  const { traffic } = site.world;
  if (traffic.type === 'open') arrive(site, traffic.rates, begin);
  else
    for (let client = 0; client < traffic.clients; client += 1) startClient(site, traffic, { client, begin });
}

/** A Poisson process whose rate changes: drawn at the highest rate, and thinned to the present one (Lewis and Shedler). */
function arrive({ queue, draws, world }: Site, rates: readonly RatePoint[], begin: Begin): void {
  const highest = rates.reduce((most, { perSecond }) => Math.max(most, perSecond), 0);
  if (highest === 0) return;
  const next = (): void =>
    queue.after(drawExponential(1_000 / highest, draws.traffic), () => {
      const isKept = draws.traffic() * highest < rateAt(rates, queue.now());
      const number = Math.floor(draws.traffic() * world.processes);
      next();
      if (isKept) begin(number, () => undefined);
    });
  next();
}

/** Returns the rate of arrivals at an instant, on the straight line between its neighbours. */
function rateAt(rates: readonly RatePoint[], nowMs: number): number {
  const next = rates.findIndex(({ atMs }) => atMs > nowMs);
  const after = rates[next];
  const before = next === -1 ? rates.at(-1) : rates[next - 1];
  if (before === undefined || after === undefined) return (before ?? after)?.perSecond ?? 0;
  const share = (nowMs - before.atMs) / (after.atMs - before.atMs);
  return before.perSecond + (after.perSecond - before.perSecond) * share;
}

type Closed = Extract<Traffic, { readonly type: 'closed' }>;

/** A client: a pause, a call, and again when it is answered. */
function startClient(site: Site, traffic: Closed, { client, begin }: { client: number; begin: Begin }): void {
  const { queue, draws } = site;
  let left = traffic.calls;
  const next = (): void => {
    if (left === 0) return;
    left -= 1;
    const pauseMs = traffic.pauseMs > 0 ? drawExponential(traffic.pauseMs, draws.traffic) : 0;
    queue.after(pauseMs, () => begin(client, next));
  };
  next();
}
