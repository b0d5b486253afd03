import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { inBatches, readAnswers, submissionBytes, uniqueAnswer } from '@retry/core/broker/kit';
import type { Argument } from '../driver/redis-link.ts';
import { changedReply } from '../errors.ts';
import { isKeptApart } from '../record/apart.ts';
import { duesOf, encodeBody, encodeSubmissions } from '../record/body.ts';
import { APART_TEXTS, KEY_UNTIL } from '../record/layout.ts';
import { PAYLOADS_FOLLOW } from '../record/requests.ts';
import type { Script } from '../scripts/create-script.ts';
import {
  dropPayloadsScript,
  submitFairScript,
  submitScript,
  submitUniqueScript,
} from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { ScriptStore, Store } from '../store/store.ts';
import { argumentsOf, createLaneList, isUnknownScript, runListScript, runScript } from '../store/store.ts';

/** Stores new runs. */
type SubmitRuns = (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>;

/** A store whose scripts are sent in the order of calls. */
type OrderedStore = Store & Required<Pick<ScriptStore, 'order'>>;

/**
 * Creates a `submit` whose calls take effect in their order. A long one is sent in chunks, one after another, because clients
 * reject what they cannot write within seconds; later submissions wait for the last chunk.
 */
export function createSubmit(store: Store): SubmitRuns {
  const sent = new Set<Script>();
  let latest: Promise<unknown> = Promise.resolve();
  let inProgress: Promise<unknown> | undefined;
  const orderBehind = (previous: Promise<unknown>): OrderedStore => ({
    ...store,
    order: {
      hasSentText: (script) => sent.has(script) || !sent.add(script),
      beforeText: async () => {
        sent.clear();
        await previous.catch(() => {}); // its own caller receives the error
      },
    },
  });
  return async (submissions) => {
    if (submissions.length === 0) return [];
    const chunks = inBatches(submissions, { bytesOf: submissionBytes });
    const previous = latest;
    const ordered = orderBehind(previous);
    if (inProgress === undefined && chunks.length === 1) {
      const submitting = submitChunk(ordered, submissions);
      latest = submitting;
      return submitting;
    }
    const submitting = (async () => {
      await previous.catch(() => {}); // its own caller receives the error
      return submitInOrder(ordered, chunks);
    })();
    latest = submitting;
    inProgress = submitting;
    try {
      return await submitting;
    } finally {
      if (inProgress === submitting) inProgress = undefined;
    }
  };
}

async function submitInOrder(
  store: OrderedStore,
  chunks: readonly (readonly Submission[])[],
): Promise<readonly SubmitAnswer[]> {
  const answers: SubmitAnswer[] = [];
  for (const chunk of chunks) answers.push(...(await submitChunk(store, chunk)));
  return answers;
}

async function submitChunk(
  store: OrderedStore,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  if (submissions.some(({ unique }) => unique !== undefined)) return submitUnique(store, submissions);
  const lanes = createLaneList();
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const isLater = submissions.some(({ runAt, delayMs = 0 }) => runAt !== undefined || delayMs > 0);
  const large = submissions.filter(({ payload }) => isKeptApart(payload));
  const payloads = large.length > 0 && canFollow(store.link) ? 'follow' : 'inline';
  const isFair = submissions.some(({ fairnessKey }) => fairnessKey !== undefined);
  const script = isFair ? submitFairScript : submitScript;
  const isUsual = lanes.tags.length === 1 && !isLater && !isFair;
  const isPlain = isUsual && (payloads === 'follow' || large.length === 0);
  const request = (): Buffer =>
    pack([
      lanes.tags,
      // A lane that all of them share is sent once.
      lanes.tags.length === 1 ? [1] : numbers,
      isLater ? duesOf(submissions) : [],
      submissions.length,
      payloads === 'follow' ? 1 : 0,
    ]);
  const plain = payloads === 'follow' ? PAYLOADS_FOLLOW : '';
  const args: Argument[] = [...store.retention, isPlain ? plain : request()];
  for (const submission of submissions) args.push(submission.id, encodeBody(submission));
  if (payloads === 'follow') return submitLarge(store, { submissions, script, args, laneTags: lanes.tags });
  for (const { payload } of large) args.push(payload);
  return readAnswers('submit', await runScript(store, script, args, lanes.tags), changedReply);
}

/** Whether payloads may follow in a transaction, which takes effect or fails in the time that a command does. */
function canFollow({ sendAll, isConnected }: Store['link']): boolean {
  return sendAll !== undefined && isConnected?.() !== false;
}

/** Stores new runs, some of which are unique, in one script. */
async function submitUnique(
  store: OrderedStore,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const lanes = createLaneList();
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const request = pack([
    lanes.tags,
    numbers,
    duesOf(submissions),
    submissions.map(packUnique),
    submissions.length,
  ]);
  const args = [...store.retention, request, ...encodeSubmissions(submissions)];
  const reply = await runListScript(store, submitUniqueScript, args, lanes.tags);
  const [letters, others] = reply as readonly [string, readonly string[]]; // what our own script returns
  let met = 0;
  return readAnswers('submitUnique', letters, changedReply).map((word) => {
    const isAboutOther = word === 'kept' || word === 'replaced';
    return uniqueAnswer(word, isAboutOther ? (others[met++] ?? '') : '');
  });
}

function packUnique({ unique }: Submission): Packed {
  if (unique === undefined) return [];
  const { key, until, onConflict } = unique;
  return [toTag(key), typeof until === 'number' ? until : KEY_UNTIL[until], onConflict];
}

/** A call of a script that submits. */
interface Call {
  readonly submissions: readonly Submission[];
  readonly script: Script;
  readonly args: readonly Argument[];
  /** The tags of its lanes. */
  readonly laneTags: readonly string[];
}

/**
 * Submits runs, some of whose payloads are kept apart: the script that creates the runs, and after it the payloads as they are, in one
 * transaction. Lua would copy and hash each of them. `HSETNX` writes no payload over that of a run that exists; what it wrote for a
 * submission that was not accepted is removed afterwards.
 */
async function submitLarge(store: OrderedStore, call: Call): Promise<readonly SubmitAnswer[]> {
  const large = call.submissions.filter(({ payload }) => isKeptApart(payload));
  const { hash, text } = call.script;
  const hasSentText = store.order.hasSentText(call.script);
  let replies = await send(store, call, hasSentText ? ['EVALSHA', hash] : ['EVAL', text]);
  if (isUnknownScript(replies[0])) {
    await store.order.beforeText();
    replies = await send(store, call, ['EVAL', text]);
  }
  const [letters] = replies;
  if (letters instanceof Error) {
    await dropPayloads(store, large);
    throw letters;
  }
  const failed = replies.find((reply) => reply instanceof Error);
  if (failed !== undefined) throw failed;
  const answers = readAnswers('submit', letters, changedReply);
  const refused = call.submissions.filter(
    ({ payload }, index) => answers[index] === 'exists' && isKeptApart(payload),
  );
  if (refused.length > 0) await dropPayloads(store, refused);
  return answers;
}

async function send(
  { link, keys }: Store,
  { submissions, script, ...call }: Call,
  how: readonly [command: string, script: string],
): Promise<readonly unknown[]> {
  const commands: (readonly Argument[])[] = [[...how, ...argumentsOf(keys, script, call)]];
  for (const { id, payload } of submissions) {
    if (!isKeptApart(payload)) continue;
    commands.push(['HSETNX', keys.of.large, APART_TEXTS.payload + id, toBytes(payload)]);
  }
  return (await link.sendAll?.(keys.of.body, commands)) ?? [];
}

const encoder = new TextEncoder();

/** What `Buffer.from(text)` returns, without a walk to learn the length: most JSON is ASCII, and exactly fits. */
function toBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length);
  const { read } = encoder.encodeInto(text, bytes);
  return read === text.length ? bytes : Buffer.from(text);
}

/** Removes the payloads of these ids that belong to no run. */
async function dropPayloads(store: Store, submissions: readonly Submission[]): Promise<void> {
  const ids = submissions.map(({ id }) => id);
  // The answer is known: what stays now is removed when the id names a new run, or its run is forgotten.
  await runScript(store, dropPayloadsScript, ids).catch(() => {});
}
