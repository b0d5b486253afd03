import type { Server, World } from '../world/world.ts';
import { capacityAt } from '../world/world.ts';
import type { Draws } from './draws.ts';
import { drawExponential, drawNormal } from './draws.ts';
import type { EventQueue } from './event-queue.ts';

/** What an attempt learns, after the time that it takes; never at once. */
export type Answer = (isSuccess: boolean) => void;

/** Makes one attempt: sends it, lets the server work on it, and brings the answer back. */
export type Send = (answer: Answer) => void;

/** What a server of one run needs. */
export interface Site {
  readonly world: World;
  readonly queue: EventQueue;
  readonly draws: Draws;
}

/** Works on a request that has arrived, and answers. */
type Receive = Send;

/** Creates the server of a world in its first state, and the way to it. */
export function openServer(site: Site): Send {
  const { server } = site.world;
  if (server.type === 'optimistic-lock') return openLock(site);
  const receive = server.type === 'capacity' ? openCapacity(site, server) : openConcurrency(site, server);
  const { queue } = site;
  const hop = messageTimes(site);
  return (answer) =>
    queue.after(hop(), () => receive((isSuccess) => queue.after(hop(), () => answer(isSuccess))));
}

/** Returns a source of the time that a message takes in one direction, in milliseconds. */
function messageTimes({ world: { network }, draws }: Site): () => number {
  const { meanMs, deviationMs } = network;
  switch (network.type) {
    case 'constant':
      return () => meanMs;
    case 'exponential':
      return () => drawExponential(meanMs, draws.network);
    case 'normal':
      return () => Math.abs(drawNormal(meanMs, deviationMs, draws.network));
  }
}

/** Returns whether an attempt that the server has worked on succeeds. */
function succeeds({ world, queue, draws }: Site): boolean {
  if (capacityAt(world, queue.now()) === 0) return false;
  return world.errorShare === 0 || draws.server() >= world.errorShare;
}

/** Works in the order of arrival; a request that would wait for too long is refused. */
function openCapacity(site: Site, server: Extract<Server, { readonly type: 'capacity' }>): Receive {
  const { world, queue } = site;
  const { perSecond, latencyMs, queueMs } = server;
  let freeAt = 0;
  return (answer) => {
    const now = queue.now();
    const capacity = capacityAt(world, now);
    const startsAt = Math.max(freeAt, now);
    if (capacity === 0 || startsAt - now > queueMs) return queue.after(0, () => answer(false));
    freeAt = startsAt + 1_000 / (perSecond * capacity);
    return queue.after(freeAt - now + latencyMs, () => answer(succeeds(site)));
  };
}

/** Works on all requests at the same time, the slower the more there are. */
function openConcurrency(site: Site, server: Extract<Server, { readonly type: 'concurrency' }>): Receive {
  const { world, queue } = site;
  let underWay = 0;
  return (answer) => {
    const capacity = capacityAt(world, queue.now());
    if (capacity === 0) return queue.after(0, () => answer(false));
    underWay += 1;
    const workMs = (server.latencyMs + underWay * server.perRequestMs) / capacity;
    return queue.after(workMs, () => {
      underWay -= 1;
      answer(succeeds(site));
    });
  };
}

/** One row with a version. Four messages an attempt: a question and an answer for the read, and for the write. */
function openLock(site: Site): Send {
  const { queue } = site;
  const hop = messageTimes(site);
  let version = 0;
  return (answer) =>
    queue.after(hop(), () => {
      const seen = version;
      queue.after(hop() + hop(), () => {
        const isWritten = seen === version && succeeds(site);
        if (isWritten) version += 1;
        queue.after(hop(), () => answer(isWritten));
      });
    });
}
