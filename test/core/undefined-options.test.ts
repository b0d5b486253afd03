import type { BudgetEvent } from '@retry/core/budget';
import type {
  CeleryOptions,
  CmdxDeclaration,
  CmdxOptions,
  FluidOptions,
  FluidRetryPolicy,
  JobbersOptions,
  TaskerOptions,
} from '@retry/core/dialects';
import { fromCelery, fromCmdx, fromFluid, fromJobbers, fromTasker } from '@retry/core/dialects';
import type { NetworkInput, ServerInput, TrafficInput, WorldInput } from '@retry/core/simulate';
import type { VirtualClockOptions } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineWorld } from '../../packages/core/src/simulate/world/define-world.ts';

/** The same options, of which those that may be left out may be `undefined`: what a spread of other options has. */
type Spread<Options> = {
  [Key in keyof Options]: Partial<Pick<Options, Key>> extends Pick<Options, Key>
    ? Options[Key] | undefined
    : Options[Key];
};

describe('an option that may be left out', () => {
  it('may be undefined, by its type under exactOptionalPropertyTypes', () => {
    expectTypeOf<Spread<BudgetEvent>>().toExtend<BudgetEvent>();
    expectTypeOf<Spread<VirtualClockOptions>>().toExtend<VirtualClockOptions>();
    expectTypeOf<Spread<CeleryOptions>>().toExtend<CeleryOptions>();
    expectTypeOf<Spread<CmdxOptions>>().toExtend<CmdxOptions>();
    expectTypeOf<Spread<CmdxDeclaration>>().toExtend<CmdxDeclaration>();
    expectTypeOf<Spread<FluidOptions>>().toExtend<FluidOptions>();
    expectTypeOf<Spread<FluidRetryPolicy>>().toExtend<FluidRetryPolicy>();
    expectTypeOf<Spread<JobbersOptions>>().toExtend<JobbersOptions>();
    expectTypeOf<Spread<TaskerOptions>>().toExtend<TaskerOptions>();
    expectTypeOf<Spread<WorldInput>>().toExtend<WorldInput>();
    expectTypeOf<Spread<TrafficInput>>().toExtend<TrafficInput>();
    expectTypeOf<Spread<ServerInput>>().toExtend<ServerInput>();
    expectTypeOf<Spread<NetworkInput>>().toExtend<NetworkInput>();
  });

  it.each([
    [
      'Celery',
      fromCelery({}),
      fromCelery({
        autoretry_for: undefined,
        dont_autoretry_for: undefined,
        max_retries: undefined,
        default_retry_delay: undefined,
        retry_backoff: undefined,
        retry_backoff_max: undefined,
        retry_jitter: undefined,
        retry_kwargs: undefined,
        throws: undefined,
      }),
    ],
    [
      'CMDx',
      fromCmdx({}),
      fromCmdx({
        retry_on: undefined,
        parent: undefined,
        version: undefined,
        retriers: undefined,
        task: undefined,
      }),
    ],
    [
      'a declaration of CMDx',
      fromCmdx({ retry_on: {} }),
      fromCmdx({
        retry_on: {
          exceptions: undefined,
          limit: undefined,
          delay: undefined,
          max_delay: undefined,
          jitter: undefined,
          block: undefined,
          if: undefined,
          unless: undefined,
        },
      }),
    ],
    [
      'fluid',
      fromFluid({}),
      fromFluid({
        retry: undefined,
        rate_limit_retry: undefined,
        max_concurrency: undefined,
        timeout_seconds: undefined,
      }),
    ],
    [
      'a policy of fluid',
      fromFluid({ retry: {} }),
      fromFluid({
        retry: {
          max_attempts: undefined,
          wait: undefined,
          backoff: undefined,
          max_wait: undefined,
          exceptions: undefined,
        },
      }),
    ],
    [
      'Jobbers',
      fromJobbers({}),
      fromJobbers({
        name: undefined,
        version: undefined,
        jobbers_version: undefined,
        max_retries: undefined,
        retry_delay: undefined,
        backoff_strategy: undefined,
        max_retry_delay: undefined,
        expected_exceptions: undefined,
        timeout: undefined,
        max_concurrent: undefined,
        max_heartbeat_interval: undefined,
        on_shutdown: undefined,
        dead_letter_policy: undefined,
      }),
    ],
    [
      'Tasker',
      fromTasker({}),
      fromTasker({
        max_attempts: undefined,
        retryable: undefined,
        backoff: undefined,
        backoff_base_ms: undefined,
        max_backoff_ms: undefined,
        base_delay_seconds: undefined,
        max_delay_seconds: undefined,
        multiplier: undefined,
        jitter_enabled: undefined,
        max_jitter: undefined,
      }),
    ],
  ])('means the same undefined as left out, in the options of %s', (_name, leftOut, given) => {
    expect(given.task).toEqual(leftOut.task);
    expect(JSON.stringify(given.policy)).toBe(JSON.stringify(leftOut.policy));
    expect(given.warnings).toEqual(leftOut.warnings);
  });

  it('means the same undefined as left out, in a world and in a clock', () => {
    const server = { type: 'capacity', perSecond: 10 } as const;
    const mean = { type: 'normal', mean: 5 } as const;
    const closed = { type: 'closed', clients: 2 } as const;
    const settle = async () => {};

    expect(
      defineWorld({
        traffic: { ...closed, calls: undefined, pause: undefined },
        server: { ...server, latency: undefined, queue: undefined },
        network: { ...mean, deviation: undefined },
      }),
    ).toEqual(defineWorld({ traffic: closed, server, network: mean }));
    expect(createVirtualClock({ settle, startAt: undefined }).now()).toBe(0);
  });
});
