import { described } from '../option.ts';
import { describeSystem, type System } from '../system.ts';
import { fromTasker } from '../tasker/from-tasker.ts';

/** Tasker: what `fromTasker` reads. */
export const tasker: System = /* @__PURE__ */ describeSystem(
  {
    name: 'tasker',
    title: 'Tasker',
    version: '0.1',
    fidelity: 'exact',
    options: {
      max_attempts: described('executions', '3', 'all executions; 0 counts as 1'),
      retryable: described('boolean', 'true', '`false`: one execution'),
      backoff: described('name', 'exponential', 'how the delays of the step grow'),
      backoff_base_ms: described('ms', '1000', 'the first delay of the step'),
      max_backoff_ms: described('ms', '30000', 'its longest delay'),
      base_delay_seconds: described(
        's',
        '1',
        'of the configuration: the first retry waits this, multiplied once',
      ),
      max_delay_seconds: described('s', '300', 'its longest delay'),
      multiplier: described('factor', '2', 'what each delay is multiplied by'),
      jitter_enabled: described('boolean', 'true', 'whether a delay is spread'),
      max_jitter: described('share', '0.1', 'by what part of itself'),
    },
  },
  (options) => fromTasker(options),
);
