import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"

/** Copies a text that a field shows. Browsers allow writing to the clipboard on secure origins only; elsewhere the text is selected. */
export const useCopy = <E extends HTMLInputElement | HTMLTextAreaElement>(
  text: string,
  /** The words after the text was selected instead. */
  selected: string,
  tell: (words: string) => void = () => {}
) => {
  const field = useRef<E>(null)
  const said = useSignal("")
  const say = (words: string) => {
    said.value = words
    tell(words)
  }
  const copy = () =>
    void Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => say("Copied."),
        () => {
          field.current?.select()
          say(selected)
        }
      )
  return { copy, field, said: said.value }
}
