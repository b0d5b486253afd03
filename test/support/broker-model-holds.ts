import type { HoldSource, ResumeAnswer, ResumeRequest } from '@retry/core/broker';
import type { Model, Ripeness } from './broker-model.ts';

/** A hold as the model keeps it. */
export interface ModelHold {
  readonly lane: string | undefined;
  readonly source: HoldSource;
  /** `endless`: until it is resumed. */
  until: Ripeness | 'endless';
  /** After which time it lets another run through; absent: it does not probe. */
  readonly probe: Ripeness | undefined;
}

/** A hold to be put on a lane. */
export interface ModelHoldRequest extends ModelHold {
  readonly keepLonger: boolean;
}

/** How many runs of a lane a claim may start. */
export function passageOf(model: Model, lane: string): 'open' | 'probe' | 'closed' {
  const known = model.holds.filter((hold) => hold.lane === undefined || hold.lane === lane);
  if (known.some(({ until }) => until !== 'now')) return 'closed';
  return known.some(({ probe }) => probe !== undefined) ? 'probe' : 'open';
}

/** One run of the lane was let through. */
export function noteProbe({ holds }: Model, lane: string): void {
  for (const hold of holds) if (hold.lane === lane && hold.probe !== undefined) hold.until = hold.probe;
}

/** Puts a hold in place of the one of the same lane and source. */
export function modelHold(model: Model, { keepLonger, ...hold }: ModelHoldRequest): void {
  model.holds = modelHolds(model);
  const isSame = ({ lane, source }: ModelHold): boolean => lane === hold.lane && source === hold.source;
  const present = model.holds.find(isSame);
  if (keepLonger && present !== undefined && outlasts(present, hold)) return;
  model.holds = [...model.holds.filter((other) => !isSame(other)), hold];
}

/** Ends holds. */
export function modelResume(model: Model, { lane, source }: ResumeRequest): ResumeAnswer {
  const isMeant = (hold: ModelHold): boolean =>
    hold.lane === lane && (source === undefined || hold.source === source);
  model.holds = modelHolds(model);
  if (!model.holds.some(isMeant)) return 'none';
  model.holds = model.holds.filter((hold) => !isMeant(hold));
  return 'resumed';
}

/** Those that have not ended, by lane and source; those of all lanes first. */
export function modelHolds({ holds }: Model): readonly ModelHold[] {
  const keyOf = ({ lane = '', source }: ModelHold): string => `${lane} ${source}`;
  return holds
    .filter(({ until, probe }) => until !== 'now' || probe !== undefined)
    .sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

const LENGTHS = ['now', 'soon', 'never', 'endless'] as const;

/** Of two that end equally soon, the one that began later ends later. */
function outlasts(present: ModelHold, next: ModelHold): boolean {
  if (present.until === 'endless') return true;
  return LENGTHS.indexOf(present.until) > LENGTHS.indexOf(next.until);
}
