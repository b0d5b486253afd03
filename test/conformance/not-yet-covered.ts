/** Kinds that no runner answers yet, by system, and why. The report counts their cases. */
export const notYetCovered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'aio-fluid': {
    transition: 'states of a run: the lifecycle answers them',
  },
  celery: {},
  jobbers: {
    lifecycle: 'states, timestamps and places of a run: the lifecycle and a broker answer them',
    diagram_transition: 'the table of transitions answers them',
    cancel_request: 'cancelling is an event of the lifecycle',
    set_status: 'fields and counters that a change of state sets: the lifecycle answers them',
    stall_check: 'heartbeats and the cleaner: the lifecycle and a worker answer them',
    interruption: 'what a shutdown does to a run: a worker answers it',
    dlq_resubmit: 'redrive is an event of the lifecycle',
    queue_concurrency: 'the limit of a queue: a worker answers it',
    rate_window: 'the limit on submissions: a queue answers it',
  },
  tasker: {
    step_transitions: 'the table of transitions answers them',
  },
  cmdx: {},
};
