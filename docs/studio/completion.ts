import { signal } from '@preact/signals-core';
import { useMemo, useRef } from 'preact/hooks';
import { useTracked } from '../../packages/board/src/page/shell/tracked.ts';
import type { Choice, Completions } from './engine/complete.ts';
import type { Draft, StudioState } from './studio-state.ts';

/** What is offered at the caret, and how it is chosen from. */
export interface Completion {
  readonly offered: Completions | undefined;
  /** The index of the choice that Enter takes. */
  readonly chosen: number;
  readonly area: { current: HTMLTextAreaElement | null };
  readonly onInput: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly take: (choice: Choice) => void;
  readonly close: () => void;
}

/** Completion of one text. */
export function useCompletion({ text }: Draft, engine: StudioState['engine']): Completion {
  const area = useRef<HTMLTextAreaElement>(null);
  const offered = useMemo(() => signal<Completions | undefined>(undefined), []);
  const chosen = useMemo(() => signal(0), []);
  useTracked(() => [offered.value, chosen.value]);
  const close = (): void => {
    offered.value = undefined;
  };
  const offer = async (isAsked: boolean): Promise<void> => {
    const caret = area.current?.selectionEnd ?? 0;
    const found = await engine.ask({ type: 'complete', text: text.value, caret });
    if (area.current?.selectionEnd !== caret) return;
    chosen.value = 0;
    offered.value = found.choices.length > 0 && (isAsked || found.from < caret) ? found : undefined;
  };
  const take = ({ insert }: Choice): void => {
    if (area.current !== null && offered.value !== undefined)
      replaceTyped(area.current, offered.value.from, insert);
    close();
  };
  const onInput = (): void => {
    text.value = area.current?.value ?? '';
    offer(false).catch(close);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey && event.key === ' ') {
      event.preventDefault();
      offer(true).catch(close);
    } else if (offered.value !== undefined)
      chooseByKey(event, { offered: offered.value, chosen, take, close });
  };
  return { area, offered: offered.value, chosen: chosen.value, onInput, onKeyDown, take, close };
}

/** `insertText` keeps the browser's own history, so that undo works. */
function replaceTyped(area: HTMLTextAreaElement, from: number, insert: string): void {
  const quote = area.value[area.selectionEnd] === '"' ? 1 : 0;
  area.setSelectionRange(from, area.selectionEnd + quote);
  if (!document.execCommand('insertText', false, insert))
    area.setRangeText(insert, from, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input'));
}

interface Choosing extends Pick<Completion, 'take' | 'close'> {
  readonly offered: Completions;
  readonly chosen: { value: number };
}

function chooseByKey(event: KeyboardEvent, { offered: { choices }, chosen, take, close }: Choosing): void {
  const choice = choices[chosen.value];
  switch (event.key) {
    case 'ArrowDown':
      chosen.value = (chosen.value + 1) % choices.length;
      break;
    case 'ArrowUp':
      chosen.value = (chosen.value + choices.length - 1) % choices.length;
      break;
    case 'Enter':
    case 'Tab':
      if (choice !== undefined) take(choice);
      break;
    case 'Escape':
      close();
      break;
    case 'ArrowLeft':
    case 'ArrowRight':
      close();
      return;
  }
  if (['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape'].includes(event.key)) event.preventDefault();
}
