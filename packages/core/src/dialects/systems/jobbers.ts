import { fromJobbers } from '../jobbers/from-jobbers.ts';
import { described } from '../option.ts';
import { describeSystem, type System } from '../system.ts';

/** Jobbers: what `fromJobbers` reads. */
export const jobbers: System = /* @__PURE__ */ describeSystem(
  {
    name: 'jobbers',
    title: 'Jobbers',
    version: 'main',
    fidelity: 'exact',
    options: {
      name: described('text', '–', 'of the task'),
      version: described('text', '–', 'of the task'),
      jobbers_version: described('name', '7b5465f', 'whose formulas apply'),
      max_retries: described('retries', '3', 'executions after the first'),
      retry_delay: described('s', '–: at once', 'the first delay'),
      backoff_strategy: described(
        'name',
        'exponential',
        '`constant`, `linear`, `exponential` or `exponential_jitter`',
      ),
      max_retry_delay: described('s', '3600', 'the longest delay, after jitter'),
      expected_exceptions: described('classes', '–: none', 'exceptions that are retried'),
      timeout: described('s', '–', 'of one attempt'),
      max_concurrent: described('number', '1', 'runs at the same time in one worker'),
      max_heartbeat_interval: described('s', '–', 'after which a run is stalled'),
      on_shutdown: described('name', 'stop', '`stop`, `resubmit` or `continue`'),
      dead_letter_policy: described('name', 'none', '`none` or `save`'),
    },
  },
  (options) => fromJobbers(options),
);
