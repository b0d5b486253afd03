import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const BOARD = document.title;

let isFirst = true;

/** The title of a screen, and of the tab. A screen that follows another one takes the focus with it. */
export function Heading({ children }: { children: ComponentChildren }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${heading.current?.textContent?.trim()} · ${BOARD}`;
  });
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} dir="auto">
      {children}
    </h1>
  );
}
