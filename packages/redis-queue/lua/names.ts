import { MAX_INSTANT_AT } from '@retry/core';
import * as kit from '@retry/core/broker/kit';
import { DEAD_LETTER_STATES, END_STATES } from '@retry/core/lifecycle';
import { UNREADABLE_RUN } from '../src/errors.ts';
import { APART } from '../src/record/apart.ts';
import { unreadableMessage } from '../src/record/body.ts';
import { CHANGE_MARKS, NOTES_CHANGED, TRIMMED_MARK } from '../src/record/changes.ts';
import * as layout from '../src/record/layout.ts';
import { epochText } from '../src/record/layout.ts';
import * as requests from '../src/record/requests.ts';

/** A value that the build writes into the scripts. */
export type Constant = string | number | object;

/** A layout as Lua counts: characters from 1, and both ends of a range belong to it. */
function layoutOf<Field extends string>(one: layout.Layout<Field>): Constant {
  const fieldOf = (name: Field): Constant => {
    const width = layout.widthOf(one, name);
    return {
      from: one.fields[name].from + 1,
      to: one.fields[name].end,
      width,
      /** No instant, no order, no epoch. */
      zeros: '0'.repeat(width),
      nines: '9'.repeat(width),
      format: `%0${width}.0f`,
      pattern: `^${'%d'.repeat(width)}$`,
    };
  };
  const fields = Object.fromEntries(one.names.map((name) => [name, fieldOf(name)]));
  return { ...fields, length: one.length };
}

/** The indexes of values in a list, counted from 1. */
function indexesOf(names: readonly string[]): Constant {
  return { ...Object.fromEntries(names.map((name, index) => [name, index + 1])), length: names.length };
}

function lettersOf(states: readonly layout.KeptState[]): string {
  return states.map((state) => kit.STATE_LETTERS[state]).join('');
}

const BY = kit.settledBy(1, 'complete');
const { RECORD, FLAGS, NO_FLAGS } = layout;

/**
 * The names that scripts use for what TypeScript reads and writes, too: those that begin with a capital letter. In a script
 * `Record.runAt.from` is the number itself. A new field of a layout, a letter or a value of a request is here by itself.
 */
export const NAMES: Readonly<Record<string, Constant>> = {
  Record: layoutOf(RECORD),
  FirstStart: layoutOf(layout.FIRST_START),
  FirstCompletion: layoutOf(layout.FIRST_COMPLETION),
  LaterCompletion: layoutOf(layout.LATER_COMPLETION),
  Body: layoutOf(layout.BODY),
  FrontEntry: layoutOf(layout.FRONT_ENTRY),
  ScheduledEntry: layoutOf(layout.SCHEDULED_ENTRY),
  FinishedEntry: layoutOf(layout.FINISHED_ENTRY),
  Group: layoutOf(layout.GROUP),
  State: { ...kit.STATE_LETTERS },
  EndStates: lettersOf(END_STATES),
  DeadLetterStates: lettersOf(DEAD_LETTER_STATES),
  Flag: {
    ...FLAGS,
    base: NO_FLAGS.charCodeAt(0),
    all: layout.ALL_FLAGS.reduce((sum, flag) => sum + FLAGS[flag], 0),
  },
  Kind: layout.BODY_KINDS,
  NotedKinds: layout.NOTED_KINDS.join(''),
  KeyedKinds: layout.KEYED_KINDS.join(''),
  AllKinds: layout.ALL_KINDS.join(''),
  Note: layout.NOTES,
  ApartText: layout.APART_TEXTS,
  KeyUntil: layout.KEY_UNTIL,
  GroupMark: layout.GROUP_MARK,
  Padding: { runAt: '0'.repeat(layout.widthOf(RECORD, 'runAt') - layout.widthOf(RECORD, 'submittedAt')) },
  Mark: {
    apart: APART,
    laterCompletion: layout.LATER_COMPLETION_MARK,
    trimmed: TRIMMED_MARK,
    noLaneLimit: requests.NO_LANE_LIMIT,
    payloadsFollow: requests.PAYLOADS_FOLLOW,
    notesChanged: NOTES_CHANGED,
    ...CHANGE_MARKS,
    /** Longer than a member of a compact list. */
    longMember: '\0'.repeat(65),
  },
  By: { firstCompletion: `${BY}\0`, completion: `${BY.slice('1'.length)}\0` },
  Answer: kit.ANSWER_LETTERS,
  Exchange: indexesOf(requests.EXCHANGE),
  Claim: indexesOf(requests.CLAIM),
  ClaimLane: indexesOf(requests.CLAIM_LANE),
  KeptClaim: indexesOf(requests.KEPT_CLAIM),
  Settlement: indexesOf(requests.SETTLEMENT),
  Mode: requests.SETTLE_MODES,
  AuditFigures: indexesOf(requests.AUDIT_FIGURES),
  LaneFigures: indexesOf(requests.LANE_FIGURES),
  FirstEpoch: epochText(1),
  Unreadable: { name: UNREADABLE_RUN, message: unreadableMessage('%s'), group: kit.UNREADABLE_GROUP },
  OtherGroup: kit.OTHER_GROUP,
  Hold: {
    prefix: kit.HOLD_PREFIX,
    sources: Object.fromEntries(kit.HOLD_SOURCES.map((source) => [source, `${kit.HOLD_PREFIX}${source}/`])),
  },
  Limit: {
    replyBytes: kit.MAX_BATCH_BYTES,
    instantAt: MAX_INSTANT_AT,
    groups: kit.MAX_GROUPS,
    keysLookedAt: kit.KEYS_LOOKED_AT,
    windowsOfKey: kit.WINDOWS_OF_A_KEY,
  },
};
