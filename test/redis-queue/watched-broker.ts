import { createClient } from 'redis';
import { openRedisBroker } from '../support/redis-harness.ts';

/** Opens a broker on a server, and lists the commands that it sends: `['evalsha', '8f0c…', …]`. */
export async function openWatched(url: string) {
  const real = await createClient({ url }).connect();
  const sent: (readonly (string | Buffer)[])[] = [];
  const client = {
    sendCommand: (args: readonly (string | Buffer)[]) => {
      sent.push(args);
      return real.sendCommand(args);
    },
    duplicate: () => real.duplicate(),
  };
  const broker = await openRedisBroker({ client });
  const close = async (): Promise<void> => {
    await broker.close();
    await real.close();
  };
  return { broker, sent, close };
}
