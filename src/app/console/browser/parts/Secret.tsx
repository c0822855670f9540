import { useSignal } from "@preact/signals"
import { useId, useRef } from "preact/hooks"

/** A secret that is shown once, with a button that copies it. Browsers allow writing to the clipboard on secure origins only; elsewhere the text is selected. */
export const Secret = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const said = useSignal("")
  const copy = () =>
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => {
          said.value = "Copied."
        },
        () => {
          field.current?.select()
          said.value = "The text is selected: press Ctrl+C (⌘C)."
        }
      )
  return (
    <div class="field secret">
      <label for={id}>{label}</label>
      <div>
        <input ref={field} id={id} type="text" readOnly value={text} spellcheck={false} />
        <button type="button" class="main" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <small role="status">{said.value}</small>
    </div>
  )
}
