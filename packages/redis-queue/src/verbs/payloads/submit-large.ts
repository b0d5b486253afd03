import type { Submission, SubmitAnswer } from '@retry/core/broker';
import type { Argument } from '../../driver/redis-link.ts';
import { readAnswers } from '../../record/answers.ts';
import { isKeptApart } from '../../record/apart.ts';
import { APART_TEXTS } from '../../record/layout.ts';
import type { Script } from '../../scripts/create-script.ts';
import { dropPayloadsScript } from '../../scripts/lua-code.ts';
import type { Store } from '../../store/store.ts';
import { argumentsOf, isUnknownScript, runScript } from '../../store/store.ts';

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
export async function submitLarge(store: Store, call: Call): Promise<readonly SubmitAnswer[]> {
  const large = call.submissions.filter(({ payload }) => isKeptApart(payload));
  let replies = await send(store, call, ['EVALSHA', call.script.hash]);
  if (isUnknownScript(replies[0])) replies = await send(store, call, ['EVAL', call.script.text]);
  const [letters] = replies;
  if (letters instanceof Error) {
    await dropPayloads(store, large);
    throw letters;
  }
  const failed = replies.find((reply) => reply instanceof Error);
  if (failed !== undefined) throw failed;
  const answers = readAnswers('submit', letters);
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
