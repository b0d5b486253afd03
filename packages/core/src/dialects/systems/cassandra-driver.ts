import { choice, flag, ms } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

const POLICIES = ['ExponentialReconnectionPolicy', 'ConstantReconnectionPolicy'] as const;

/** The Cassandra driver: its reconnection policies. */
export const cassandraDriver: System = /* @__PURE__ */ defineSystem({
  name: 'cassandra-driver',
  title: 'Cassandra driver',
  version: '4.10.0',
  fidelity: 'range',
  remarks: [
    'At the lowest and at the highest delay it draws from half of its range; here such draws are cut.',
  ],
  options: {
    policy: choice(POLICIES, 'ExponentialReconnectionPolicy', 'a reconnection policy'),
    baseDelay: ms(1_000, 'the first delay'),
    maxDelay: ms(600_000, 'the longest delay'),
    startWithNoDelay: flag(false, 'whether the first try is made at once'),
    delay: ms(1_000, 'of the constant policy'),
  },
  policy: ({ policy, baseDelay, maxDelay, startWithNoDelay, delay }) =>
    policy === 'ConstantReconnectionPolicy'
      ? { maxAttempts: Infinity, backoff: constant(delay) }
      : {
          maxAttempts: Infinity,
          ...(startWithNoDelay
            ? {
                immediateFirst: true,
                backoff: exponential(baseDelay),
                jitter: { proportional: 0.15 },
                maxDelay,
                capAt: 'after-jitter',
              }
            : {
                backoff: exponential(baseDelay),
                jitter: { proportional: 0.15 },
                minDelay: Math.min(baseDelay, maxDelay),
                maxDelay,
                capAt: 'after-jitter',
              }),
        },
});
