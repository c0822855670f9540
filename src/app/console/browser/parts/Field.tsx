import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface Properties {
  readonly label: string
  /** What the button says. */
  readonly action: string
  readonly hint?: ComponentChildren
  /** What is typed is not shown. */
  readonly isSecret?: boolean
  readonly inputMode?: "text" | "url"
  readonly initial?: string
  readonly isBusy?: boolean
  /** What is wrong with the value, in words. */
  readonly problem?: string | null
  readonly onSubmit: (value: string) => void
}

/** One field with its button: Enter sends it as well. */
export const Field = ({
  action,
  hint,
  initial = "",
  inputMode = "text",
  isBusy = false,
  isSecret = false,
  label,
  onSubmit,
  problem = null
}: Properties) => {
  const id = useId()
  const value = useSignal(initial)
  const notes = [hint === undefined ? "" : `${id}-hint`, problem === null ? "" : `${id}-problem`].join(" ").trim()
  const common = {
    "aria-describedby": notes === "" ? undefined : notes,
    "aria-invalid": problem !== null,
    autoCapitalize: "none",
    autoComplete: "off",
    id,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      value.value = currentTarget.value
    },
    required: true,
    spellcheck: false,
    value: value.value
  } as const
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && value.value.trim() !== "") onSubmit(value.value.trim())
      }}
    >
      <label for={id}>{label}</label>
      <div>
        {isSecret ? <input {...common} type="password" /> : <input {...common} type="text" inputMode={inputMode} />}
        <button type="submit" disabled={isBusy}>
          {action}
        </button>
      </div>
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
      {problem !== null && (
        <small id={`${id}-problem`} class="bad" role="alert">
          {problem}
        </small>
      )}
    </form>
  )
}
