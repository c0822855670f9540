import { type Signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface Properties<T extends string> {
  /** The name of the choice for screen readers. */
  readonly label: string
  readonly chosen: T
  readonly options: ReadonlyArray<{ readonly value: T; readonly text: string }>
  readonly choose: (value: T) => void
}

/** A group of toggle buttons. */
export const Choice = <T extends string>({ choose, chosen, label, options }: Properties<T>) => (
  <fieldset class="actions" aria-label={label}>
    {options.map(({ text, value }) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {text}
      </button>
    ))}
  </fieldset>
)

interface FieldProperties {
  readonly label: string
  /** Text of the button. */
  readonly action: string
  readonly hint?: ComponentChildren
  /** Whether to hide the typed text. */
  readonly isSecret?: boolean
  readonly inputMode?: "text" | "url"
  readonly initial?: string
  readonly isBusy?: boolean
  /** The problem with the value, in words. */
  readonly problem?: string | null
  readonly onSubmit: (value: string) => void
}

/** One field with its button. The Enter key sends it too. */
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
}: FieldProperties) => {
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

/** A choice of named values that belongs to a form. */
export const Chosen = ({
  label,
  of,
  options
}: {
  readonly label: string
  readonly of: Signal<string>
  readonly options: Readonly<Record<string, string>>
}) => (
  <div class="field">
    <Select
      label={label}
      options={options}
      value={of.value}
      choose={(value) => {
        of.value = value
      }}
    />
  </div>
)

/** A field with a choice of named values. */
export const Select = ({
  choose,
  isHidden = false,
  label,
  options,
  value
}: {
  readonly label: string
  /** Whether the label is for screen readers only, as in a column with a name. */
  readonly isHidden?: boolean
  readonly value: string
  readonly options: Readonly<Record<string, string>>
  readonly choose: (value: string) => void
}) => {
  const id = useId()
  return (
    <>
      <label for={id} class={isHidden ? "hidden" : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </>
  )
}
