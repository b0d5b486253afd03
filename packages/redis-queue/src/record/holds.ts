import type { Hold, HoldRequest, HoldSource, ResumeRequest } from '@retry/core/broker';
import { hasHoldEnded, keepableMs } from '@retry/core/broker/kit';
import { fromTag, toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
import { HOLD, HOLD_SOURCES, NO_END } from './layout.ts';
import { HOLD_REQUEST } from './requests.ts';

/** The field of a hold: the letter of its source, and the lane, if it is not of all lanes. */
export function holdField(lane: string | undefined, source: HoldSource): string {
  return HOLD_SOURCES[source] + toTag(lane ?? '');
}

/** The fields of the holds that a request is to end. */
export function resumedFields({ lane, source }: ResumeRequest): readonly string[] {
  const sources = source === undefined ? SOURCES : [source];
  return sources.map((one) => holdField(lane, one));
}

/** A hold as the script takes it: the values of `HOLD_REQUEST`, in that order. */
export function encodeHold(request: HoldRequest): readonly Packed[] {
  const { lane, source, until, forMs, probeMs, keepLonger, reason, by } = request;
  const values: Readonly<Record<(typeof HOLD_REQUEST)[number], Packed>> = {
    field: holdField(lane, source),
    until: until === undefined ? -1 : keepableMs(until),
    forMs: forMs === undefined ? -1 : Math.max(0, forMs),
    probeMs: probeMs === undefined ? 0 : keepableMs(probeMs),
    keepLonger: keepLonger === true ? 1 : 0,
    notes: JSON.stringify({ reason, by }),
  };
  return HOLD_REQUEST.map((name) => values[name]);
}

/** Returns the hold of a field and its value; `undefined` when it has ended, or when they are not ours. */
export function decodeHold(field: string, value: string, now: number): Hold | undefined {
  const source = SOURCES.find((one) => field.startsWith(HOLD_SOURCES[one]));
  if (source === undefined || !KEPT_HOLD.test(value)) return undefined;
  const numberIn = (name: keyof typeof HOLD.fields): number =>
    Number(value.slice(HOLD.fields[name].from, HOLD.fields[name].end));
  const tag = field.slice(HOLD_SOURCES[source].length);
  const until = value.slice(HOLD.fields.until.from, HOLD.fields.until.end);
  const probeMs = numberIn('probeMs');
  const hold: Hold = {
    ...(tag !== '' && { lane: fromTag(tag) }),
    source,
    ...readNotes(value.slice(HOLD.length)),
    heldAt: numberIn('heldAt'),
    ...(until !== NO_END && { until: Number(until) }),
    ...(probeMs > 0 && { probeMs }),
  };
  return hasHoldEnded(hold, now) ? undefined : hold;
}

const SOURCES = Object.keys(HOLD_SOURCES) as readonly HoldSource[]; // its own keys
const KEPT_HOLD = new RegExp(`^\\d{${HOLD.length}}`);

function readNotes(text: string): Pick<Hold, 'reason' | 'by'> {
  try {
    const { reason, by }: Readonly<Record<string, unknown>> = JSON.parse(text) ?? {};
    return { ...(typeof reason === 'string' && { reason }), ...(typeof by === 'string' && { by }) };
  } catch {
    return {}; // written by another program
  }
}
