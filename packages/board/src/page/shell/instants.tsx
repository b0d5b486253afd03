import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { VNode } from 'preact';
import type { RightsAnswer } from '../../api.ts';
import { duration } from '../charts/figures.ts';
import { useSession } from './session.ts';

/** How long the distance to an instant stands still. */
const TICK_MS = 5_000;

/** When the page was last drawn anew for the sake of its instants; it stands still while the page is hidden. */
export const now: ReadonlySignal<number> = createNow();

function createNow(): ReadonlySignal<number> {
  const time = signal(Date.now());
  const tick = (): void => {
    if (document.visibilityState === 'visible') time.value = Date.now();
  };
  setInterval(tick, TICK_MS);
  document.addEventListener('visibilitychange', tick);
  return time;
}

/** How many milliseconds the broker's clock is ahead of this browser's. */
let aheadMs = 0;

/** Takes the broker's clock from the first answer, if that has it. */
export function noteTimeOf({ at = Date.now() }: RightsAnswer): void {
  aheadMs = at - Date.now();
}

/** How long ago an instant was, or in how long it is; the instant itself as its title. */
export function Instant({ at }: { at: number | undefined }): VNode | null {
  const { visitor } = useSession();
  if (at === undefined) return null;
  const differenceMs = at - Date.now() - aheadMs;
  const distance = duration(Math.abs(differenceMs));
  const text =
    Math.abs(differenceMs) < 1_000 ? 'now' : differenceMs > 0 ? `in ${distance}` : `${distance} ago`;
  const written = writeInstant(at, visitor.times);
  return (
    <time dateTime={isoOf(at)} title={written}>
      {text}
    </time>
  );
}

function isoOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Writes an instant with its date and seconds. */
export function writeInstant(at: number, times: 'local' | 'utc'): string {
  const timeZone = times === 'utc' ? { timeZone: 'UTC' } : {};
  return new Date(at).toLocaleString('sv-SE', { ...timeZone, timeZoneName: 'short' });
}
