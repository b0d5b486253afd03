import type { VNode } from 'preact';
import { NumberField, SelectField } from '../../packages/board/src/page/controls/fields.tsx';
import type { HerdWorld } from './engine/herd.ts';
import type { StudioState } from './studio-state.ts';

/** Who calls the dependency, what it is able to do, and what happens to it. */
export function HerdForm({ studio, canRun }: { studio: StudioState; canRun: boolean }): VNode {
  const world = studio.world.value;
  const set = (change: Partial<HerdWorld>): void => {
    studio.world.value = { ...world, ...change };
  };
  const isOpen = world.traffic === 'open';
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        studio.simulate();
      }}
    >
      <SelectField
        label="calls come"
        value={world.traffic}
        choices={TRAFFIC}
        onChange={(traffic) => set({ traffic })}
      />
      <NumberField
        label={isOpen ? 'calls a second' : 'clients'}
        value={isOpen ? world.arrivals : world.clients}
        min={1}
        max={10_000}
        onChange={(amount) => set(isOpen ? { arrivals: amount } : { clients: amount })}
      />
      <ServerFields world={world} set={set} />
      <button type="submit" class="main" disabled={!canRun}>
        Simulate
      </button>
    </form>
  );
}

const TRAFFIC = { open: 'by themselves (users)', closed: 'from clients that wait' } as const;

const TROUBLE = { outage: 'outage', 'brown-out': 'half its capacity' } as const;

const BUDGET = { none: 'none', ratio: '10 % of the calls' } as const;

function ServerFields({
  world,
  set,
}: {
  world: HerdWorld;
  set: (change: Partial<HerdWorld>) => void;
}): VNode {
  const seconds = (key: 'troubleMs' | 'attemptTimeoutMs') => ({
    value: world[key] / 1_000,
    min: 0.1,
    max: 600,
    step: 0.1,
    onChange: (amount: number) => set({ [key]: amount * 1_000 }),
  });
  return (
    <>
      <NumberField
        label="requests a second it can do"
        value={world.capacity}
        min={1}
        max={10_000}
        onChange={(capacity) => set({ capacity })}
      />
      <SelectField
        label="trouble"
        value={world.trouble}
        choices={TROUBLE}
        onChange={(trouble) => set({ trouble })}
      />
      <NumberField label="seconds of trouble" {...seconds('troubleMs')} />
      <NumberField label="attempt timeout, seconds" {...seconds('attemptTimeoutMs')} />
      <SelectField
        label="retry budget"
        value={world.hasBudget ? 'ratio' : 'none'}
        choices={BUDGET}
        onChange={(budget) => set({ hasBudget: budget === 'ratio' })}
      />
    </>
  );
}
