import { RELEASED } from '../settle/outcome.ts';
import type { Execution } from './execution.ts';

/** What a roster lists; the roster sets its neighbours. */
export interface Linked<Member> {
  before: Member | undefined;
  after: Member | undefined;
}

/**
 * Members that come and go by the thousand, in the order in which they came.
 *
 * A `Set` would keep those that have left. It moves to another table again and again, and each table leads to the next one. So once a
 * collection of young objects has found one of them in use, it keeps all that follow, with what was in them, until a full
 * collection: most workers of short runs spent a third of their processor time on that.
 */
export class Roster<Member extends Linked<Member>> implements Iterable<Member> {
  #first: Member | undefined;
  #last: Member | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds one that is not listed. */
  add(member: Member): void {
    const last = this.#last;
    if (last === undefined) this.#first = member;
    else last.after = member;
    member.before = last;
    this.#last = member;
    this.#size += 1;
  }

  /** Removes one that is listed. */
  remove(member: Member): void {
    const { before, after } = member;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    member.before = undefined;
    member.after = undefined;
    this.#size -= 1;
  }

  /** Returns the members that are listed now, whatever changes while they are gone through. */
  [Symbol.iterator](): Iterator<Member> {
    const members: Member[] = [];
    for (let member = this.#first; member !== undefined; member = member.after) members.push(member);
    return members[Symbol.iterator]();
  }
}

/** Gives runs back, uncharged. */
export function giveBackAll(executions: readonly Execution[]): void {
  for (const execution of latestFirst(executions)) execution.interrupt(RELEASED, undefined);
}

/** Gives back, uncharged, the runs of a lane that were claimed in advance: it is on hold, or its limit is reached. */
export function giveBackLane(executions: Iterable<Execution>, lane: string): void {
  giveBackAll([...executions].filter(({ hasStarted, task }) => !hasStarted && task.lane === lane));
}

/** The last ones go back first, as those of a later exchange come before them: see `inOrderOfClaims`. */
export function latestFirst(executions: Iterable<Execution>): readonly Execution[] {
  return [...executions].reverse();
}
