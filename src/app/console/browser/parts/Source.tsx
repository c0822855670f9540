/** The most lines of a text on the screen; longer ones scroll. */
const mostLines = 18

/** A text of a program, such as JSON, to read, scroll and copy. */
export const Source = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <textarea
    class="source"
    readOnly
    rows={Math.min(mostLines, text.split("\n").length + 1)}
    spellcheck={false}
    aria-label={label}
    value={text}
  />
)
