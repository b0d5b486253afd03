import { createHash } from 'node:crypto';
import { FIRST_START, widthOf } from '../record/layout.ts';

const DIGITS = widthOf(FIRST_START, 'laneHash');
/** Lanes are the names of tasks, of which a process knows some; one that makes up names has them reckoned anew. */
const MAX_KNOWN = 10_000;
const known = new Map<string, string>();

/** Returns 48 bits of a hash of the lane, as a number: what a started record has of it, so that the scripts need not reckon it. */
export function laneHash(tag: string): string {
  const hash = known.get(tag);
  if (hash !== undefined) return hash;
  if (known.size >= MAX_KNOWN) known.clear();
  const bits = createHash('sha1').update(tag).digest('hex').slice(0, 12);
  const made = `${Number.parseInt(bits, 16)}`.padStart(DIGITS, '0');
  known.set(tag, made);
  return made;
}
