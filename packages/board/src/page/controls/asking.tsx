import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The answer of an act after which nothing has to be said. */
// biome-ignore lint/suspicious/noConfusingVoidType: it returns nothing
type Done = void;

/** What a visitor asks the server to do, one act at a time. */
export interface Asking {
  /** The buttons of the act are disabled meanwhile. */
  readonly isUnderWay: boolean;
  /** What is shown of the act: that it is under way, then what came of it. */
  readonly said: ComponentChildren;
  /** Why it was not done; `''` where it was. */
  readonly problem: string;
  /** Does nothing while an act is under way. @param say - returns what is said of an answer */
  readonly ask: <Answer>(
    act: () => Promise<Answer>,
    say: (answer: Answer) => ComponentChildren | Done,
  ) => void;
}

/** Asks the server for the acts of a form or of a row of buttons. */
export function useAsking(): Asking {
  const [{ isUnderWay, said, problem }, set] = useState<Omit<Asking, 'ask'>>(IDLE);
  const isBusy = useRef(false);
  const pressed = useRef<Element | null>(null);
  useLayoutEffect(() => {
    // A button that is disabled loses the focus.
    if (!isUnderWay && document.activeElement === document.body) focus(pressed.current);
  }, [isUnderWay]);
  const end = (result: Partial<Asking>): void => {
    isBusy.current = false;
    set({ ...IDLE, ...result });
  };
  const ask: Asking['ask'] = (act, say) => {
    if (isBusy.current) return;
    isBusy.current = true;
    pressed.current = document.activeElement;
    set({ isUnderWay: true, said: 'asking …', problem: '' });
    act().then(
      (answer) => end({ said: say(answer) ?? '' }),
      (error: Error) => end({ problem: error.message }),
    );
  };
  return { isUnderWay, said, problem, ask };
}

const IDLE = { isUnderWay: false, said: '', problem: '' } as const;

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus();
}

/** What is said of an act. */
export function Said({ of: { said, problem } }: { of: Asking }): VNode {
  return (
    <span role="status" class={problem === '' ? '' : 'error'}>
      {problem === '' ? said : problem}
    </span>
  );
}
