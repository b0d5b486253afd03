const KEY = 'retry-board-theme';

/** Shows the theme that was chosen last, if any was; else the system's is shown. */
export function restoreTheme(): void {
  const theme = readTheme();
  if (theme !== null) document.documentElement.dataset['theme'] = theme;
}

/** Switches from light to dark, or back, and remembers it where the browser allows. */
export function switchTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const shown = document.documentElement.dataset['theme'] ?? system;
  const theme = shown === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It is refused in private windows; then the theme lasts as long as the page.
  }
}

function readTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
