import { type Deviation, ruleFor, unlike } from './deviation.ts';
import type { DeadLetterCase, InterruptionCase } from './jobbers-ends.ts';
import type { LifecycleCase } from './jobbers-lifecycle.ts';
import type { StallCase } from './jobbers-requests.ts';
import type { JobbersRecord } from './jobbers-scene.ts';

const ofKind = (kind: string): { readonly system: string; readonly kind: string } => ({
  system: 'jobbers',
  kind,
});

/** The rules by which our worker deviates from Jobbers'. */
export const jobbersDeviations: readonly Deviation[] = [
  ruleFor<LifecycleCase, { readonly result: JobbersRecord }>(ofKind('lifecycle'), {
    name: 'leaves a run whose task it does not know in its lane',
    reason:
      'SEEDS 10: it waits for a worker that knows it, as during a deploy. Where a worker says onUnknown: drop, it ' +
      'claims the run first, so that it has a start; the move itself is that of diagram_transition.',
    applies: ({ scenario, result }) => scenario.startsWith('unknown') && result.status === 'dropped',
    instead: ({ result }, answer) =>
      unlike(answer.result, {
        ...result,
        status: 'submitted',
        in_queue: true,
        active_index: true,
        timestamps: {
          submitted_at: 0,
          started_at: undefined,
          retried_at: undefined,
          completed_at: undefined,
        },
      }),
  }),
  ruleFor<LifecycleCase, { readonly result: JobbersRecord }>(ofKind('lifecycle'), {
    name: 'schedules nothing that is due at once',
    reason:
      'docs/lifecycle.md: a retry without delay goes to its lane. SEEDS 2: a retry_delay of 0 is SCHEDULED there.',
    applies: ({ result }) => result.status === 'scheduled' && result.run_at === latestStart(result),
    instead: ({ result }, answer) =>
      unlike(answer.result, {
        ...result,
        status: 'submitted',
        in_queue: true,
        in_scheduler: false,
        run_at: null,
        timestamps: { ...result.timestamps, submitted_at: latestStart(result) },
      }),
  }),
  ruleFor<InterruptionCase>(ofKind('interruption'), {
    name: 'notes in its errors that a run stalled, and keeps it among the dead letters',
    reason:
      'SEEDS 10: a stall is recorded always and charged, so it has its entry among the errors. docs/tasks.md: deadLetter ' +
      'is about failed runs, and a stalled one is kept and listed whatever it says.',
    applies: ({ result }) => result.status === 'stalled',
    instead: ({ result }, answer) => unlike(answer, { ...result, errors: result.errors + 1, in_dlq: true }),
  }),
  ruleFor<InterruptionCase>(ofKind('interruption'), {
    name: 'puts what it resubmits back into its lane',
    reason:
      'SEEDS 3.5 and 9: saved there as UNSUBMITTED, in no queue, against its own document: the run is lost.',
    applies: ({ config, scenario }) => isShutdown(scenario) && config.on_shutdown === 'resubmit',
    instead: ({ result }, answer) =>
      unlike(answer, {
        ...result,
        status: 'submitted',
        in_queue: true,
        active_index: true,
        timestamps: { submitted_at: 7, started_at: 0, completed_at: undefined },
      }),
  }),
  ruleFor<InterruptionCase>(ofKind('interruption'), {
    name: 'waits for a run that is to continue',
    reason: 'SEEDS 3.5 and 9: the worker there does not wait; the run stays STARTED and its result is lost.',
    applies: ({ config, scenario }) => isShutdown(scenario) && config.on_shutdown === 'continue',
    instead: ({ result }, answer) =>
      unlike(answer, {
        ...result,
        status: 'completed',
        timestamps: { submitted_at: 0, started_at: 0, completed_at: 17 },
        heartbeat_tracked: false,
        active_index: false,
        function_finished_when_worker_returns: true,
      }),
  }),
  ruleFor<StallCase>(ofKind('stall_check'), {
    name: 'stalls a silent handler at the instant its heartbeat is due',
    reason:
      "docs/lifecycle.md: a living worker keeps its handlers' time itself, so there is no cleaner with a stale time " +
      'to wait for, and the interval is over once it has passed. Lost workers are found by their leases. (One that ' +
      'ignores its signal is stalled after abandonAfter: docs/tasks.md.)',
    applies: ({ config, heartbeat_age, status_before, status_after, registered }) => {
      const interval = config.max_heartbeat_interval ?? 0;
      const isSilent = interval > 0 && heartbeat_age >= interval;
      return isSilent && registered && status_before === 'started' && status_after === 'started';
    },
    instead: ({ config }, answer) =>
      unlike(answer, {
        status_after: 'stalled',
        completed_at_set: true,
        completed_at: config.max_heartbeat_interval,
      }),
  }),
  ruleFor<DeadLetterCase>(ofKind('dlq_resubmit'), {
    name: 'keeps the errors of the attempts that it keeps',
    reason:
      'docs/lifecycle.md: a redrive with keepAttempts resets nothing, errors neither, and buys one more attempt, ' +
      'which is then the next retry. Jobbers clears the errors and counts that attempt for nothing.',
    applies: ({ config }) => !config.reset_retry_count,
    instead: ({ before, after }, answer) =>
      unlike(answer, {
        before,
        after: { ...after, errors: before.errors, retry_attempt: before.retry_attempt + 1 },
      }),
  }),
];

function isShutdown(scenario: string): boolean {
  return scenario === 'worker shutdown';
}

function latestStart({ timestamps }: JobbersRecord): number | undefined {
  return timestamps['retried_at'] ?? timestamps['started_at'];
}
