import { exchangeCommands } from '../support/broker-commands.ts';
import { itAnswersTheSame } from '../support/differential.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { plainCommands } from './redis-commands.ts';
import { createPairs } from './scripted-redis.ts';

describeOnRedis('the Redis broker beside the memory broker', (server) => {
  itAnswersTheSame({
    commands: [...plainCommands(), ...exchangeCommands()],
    share: 2 / 5,
    leastPerSeed: 90,
    open: () => createPairs(server().url),
  });
});
