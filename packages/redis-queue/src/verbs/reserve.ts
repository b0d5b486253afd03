import type { Reservation, Reserved, StartCorrection } from '@retry/core/broker';
import { reserveScript } from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';

/** Reservations of one call of the script. */
const STEP = 500;

/** Counts starts against limits, or corrects them, each of which has a key of its own. */
export async function reserveStarts(
  { link, keys }: Store,
  requests: readonly (Reservation | StartCorrection)[],
): Promise<readonly Reserved[]> {
  const limits = { link, keys: { ...keys, laneOf: keys.startsOf } };
  const answers: Reserved[] = [];
  for (let from = 0; from < requests.length; from += STEP) {
    const some = requests.slice(from, from + STEP);
    const names = [...new Set(some.map(({ key }) => key))];
    const numbers = new Map(names.map((name, index) => [name, index + 1]));
    const asked = some.map((request) => [numbers.get(request.key) ?? 0, ...numbersOf(request)]);
    const reply = await runListScript(limits, reserveScript, [pack(asked)], names.map(toTag));
    answers.push(...readReply(reply as readonly number[])); // what our own script returns
  }
  return answers;
}

/** Returns what the script takes of a request, behind its key. */
function numbersOf(request: Reservation | StartCorrection): readonly number[] {
  if ('grantedAt' in request) return [request.grantedAt, request.count];
  const { limit, windowMs, count, least = 1 } = request;
  return [limit, windowMs, count, least];
}

function readReply(reply: readonly number[]): readonly Reserved[] {
  const answers: Reserved[] = [];
  const grantedAt = Number(reply.at(-1));
  for (let index = 0; index < reply.length - 1; index += 2) {
    const [granted, availableAt] = [Number(reply[index]), Number(reply[index + 1])];
    answers.push({
      ...{ granted },
      ...(granted > 0 && { grantedAt }),
      ...(availableAt >= 0 && { availableAt }),
    });
  }
  return answers;
}
