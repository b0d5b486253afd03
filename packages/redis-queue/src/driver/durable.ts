import { RedisBrokerError } from '../errors.ts';
import type { RedisLink } from './redis-link.ts';

/** How long a command waits for the append-only file, in ms; 0 would be for ever. */
const WAIT_AOF_MS = 10_000;

/**
 * A link whose commands resolve once the append-only file has what they wrote. Its connection is its own, because the
 * server keeps all of a connection's commands waiting meanwhile.
 *
 * @throws {RedisBrokerError} `REDIS_NOT_DURABLE`, from `send`
 */
export async function openDurable(link: RedisLink): Promise<RedisLink> {
  const { sendPair, close } = await link.openSecond();
  const sendDurably: RedisLink['send'] = async (key, args) => {
    // By one connection: another one, or a server that was started anew, has no write to wait for.
    const [reply, files] = await sendPair(key, [args, ['WAITAOF', '1', '0', `${WAIT_AOF_MS}`]]);
    const [local = 0] = files as readonly number[]; // local, replicas
    if (local < 1) throw new RedisBrokerError('REDIS_NOT_DURABLE', NOT_DURABLE);
    return reply;
  };
  return { ...link, send: sendDurably, close };
}

const NOT_DURABLE = `The append-only file did not take what was submitted within ${WAIT_AOF_MS} ms. The server has it; submit it again to be sure.`;
