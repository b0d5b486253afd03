import type { Task } from '@retry/worker';
import { defineTask } from '@retry/worker';

/** The state of the bank. */
export interface Bank {
  isFixed: boolean;
}

/** The three tasks of the demo. */
export interface Tasks {
  readonly sendEmail: Task<{ readonly to: string }, string>;
  readonly resizeImage: Task<{ readonly size: number }, number>;
  readonly chargeCard: Task<{ readonly amount: number }, string>;
}

/** One that always succeeds, one that fails at first, and one that fails until the bank is fixed. */
export function defineTasks(bank: Bank): Tasks {
  const quick = { backoff: { type: 'exponential', base: '50ms' }, maxDelay: '400ms' } as const;
  return {
    sendEmail: defineTask({
      name: 'send-email',
      run: ({ to }) => `sent to ${to}`,
    }),
    resizeImage: defineTask({
      name: 'resize-image',
      retry: { ...quick, maxAttempts: 4 },
      run: ({ size }, { attempt }) => {
        if (attempt <= size % 3) throw new Error('out of memory');
        return size * 2;
      },
    }),
    chargeCard: defineTask({
      name: 'charge-card',
      retry: { ...quick, maxAttempts: 3, retryOn: [{ name: 'BankDownError' }] },
      run: ({ amount }) => {
        if (!bank.isFixed) throw Object.assign(new Error('no answer'), { name: 'BankDownError' });
        return `charged ${amount}`;
      },
    }),
  };
}
