import { effect } from '@preact/signals-core';
import { useEffect, useState } from 'preact/hooks';

/**
 * Renders a component again, and all that is inside, when a signal that `read` reads has changed. Two or three places do this for
 * the whole page: @preact/signals, which does it for each component by itself, is larger than all charts together.
 */
export function useTracked(read: () => unknown): void {
  const [, setTurn] = useState(0);
  useEffect(
    () =>
      effect(() => {
        read();
        // Also when it begins: something may have changed since the component was rendered.
        setTurn((turn) => turn + 1);
      }),
    [],
  );
}
