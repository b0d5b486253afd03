import { createClient } from 'redis';
import { afterEach, beforeEach } from 'vitest';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

/** A user of a private server, whose rights a test changes. */
export interface LimitedUser {
  /** Where this user connects. */
  readonly url: string;
  /** A connection of an administrator. */
  readonly admin: { readonly keys: (pattern: string) => Promise<readonly string[]> };
  /** Changes the rights, by the rules of `ACL SETUSER`. */
  readonly change: (...rules: readonly string[]) => Promise<unknown>;
}

/** Describes what needs a user of its own, who may do everything at first. */
export function describeWithUser(name: string, tests: (user: () => LimitedUser) => void): void {
  describeOnPrivateRedis(name, () => {
    let server: PrivateRedis;
    let close: () => Promise<unknown>;
    let user: LimitedUser;
    beforeEach(async () => {
      server = await startPrivateRedis();
      const admin = createClient({ url: server.url });
      await admin.connect();
      const change = (...rules: readonly string[]) => admin.sendCommand(['ACL', 'SETUSER', 'app', ...rules]);
      close = () => admin.close();
      await change('on', '>secret', '~*', '&*', '+@all');
      user = { url: server.url.replace('redis://', 'redis://app:secret@'), admin, change };
    });
    afterEach(async () => {
      await close();
      await server.stop();
    });

    tests(() => user);
  });
}
