import { describe, expect, it } from 'vitest';
import { RestOfTurn } from '../../packages/worker/src/engine/turns.ts';

/** Runs that end, of which `left` are still going on; and what has happened, in order. */
function setRuns(left: number) {
  const state = { leased: left, exchanges: 0 };
  const seen: string[] = [];
  const rest = new RestOfTurn(state);
  return {
    seen,
    pass: async () => {
      await rest.pass();
      seen.push('settle');
    },
    end: () => {
      state.leased -= 1;
      seen.push('end');
      rest.noteEnd();
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the rest of a turn', () => {
  it('is over at once when no other run can end', async () => {
    const { pass, seen } = setRuns(0);
    setImmediate(() => seen.push('next turn'));

    await pass();

    expect(seen).toEqual(['settle']);
  });

  it('is over when the last run has ended, in the same turn', async () => {
    const { pass, end, seen } = setRuns(2);
    setImmediate(() => seen.push('next turn'));

    const passed = pass();
    end();
    await Promise.resolve();
    end();
    await passed;

    expect(seen).toEqual(['end', 'end', 'settle']);
  });

  it('lasts until the next turn while a run goes on, and does not wait for it', async () => {
    const { pass, end, seen } = setRuns(2);
    setImmediate(() => seen.push('next turn'));

    const passed = pass();
    end();
    await passed;

    expect(seen).toEqual(['end', 'next turn', 'settle']);
  });

  it('can be waited for again, whatever ended in between', async () => {
    const { pass, end, seen } = setRuns(3);

    await pass();
    end();
    await nextTurn();
    const passed = pass();
    end();
    end();
    await passed;

    expect(seen).toEqual(['settle', 'end', 'end', 'end', 'settle']);
  });
});
