import { useId } from "preact/hooks"
import { useCopy } from "./Copy.ts"

/** A secret that is shown once, with a button that copies it. */
export const Secret = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const id = useId()
  const { copy, field, said } = useCopy<HTMLInputElement>(text, "The text is selected: press Ctrl+C (⌘C).")
  return (
    <div class="field secret">
      <label for={id}>{label}</label>
      <div>
        <input ref={field} id={id} type="text" readOnly value={text} spellcheck={false} />
        <button type="button" class="main" onClick={copy}>
          Copy
        </button>
      </div>
      <small role="status">{said}</small>
    </div>
  )
}
