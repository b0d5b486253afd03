import { fromCelery } from '../celery/from-celery.ts';
import { described } from '../option.ts';
import { describeSystem, type System } from '../system.ts';

/** Celery: what `fromCelery` reads. */
export const celery: System = /* @__PURE__ */ describeSystem(
  {
    name: 'celery',
    title: 'Celery',
    version: '5.6',
    fidelity: 'exact',
    remarks: ['Its jitter draws whole seconds, both ends included.'],
    options: {
      autoretry_for: described('classes', '[]: none', 'exceptions that are retried'),
      dont_autoretry_for: described('classes', '[]', 'exceptions that are never retried'),
      max_retries: described('retries', '3', 'executions after the first; `null`: no limit'),
      default_retry_delay: described('s', '180', 'the delay without a backoff'),
      retry_backoff: described('s', 'false', 'the first delay, doubled each time; `true` is 1'),
      retry_backoff_max: described('s', '600', 'the longest delay'),
      retry_jitter: described('boolean', 'true', 'whether a delay is drawn from 0 to itself'),
      retry_kwargs: described('object', '–', '`countdown` and `max_retries` of the call'),
      throws: described('classes', '[]', 'for the log; without effect on retries'),
    },
  },
  (options) => fromCelery(options),
);
