import { type Signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { useAction } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { download, may } from "../api/Session.ts"
import { Failed } from "./Status.tsx"

/** Whether the key may send a request that needs the scope, if it needs any. */
const isAllowed = (scope: string | undefined) => scope === undefined || may(scope)

interface LacksProperties {
  readonly scope: string | undefined
  /** Why the control cannot be used now, beside a scope that the key lacks. */
  readonly blocked?: ComponentChildren
}

/** Why a control is disabled, beside the control: the scope that the key lacks, or else what must happen first. */
export const Lacks = ({ blocked = null, scope }: LacksProperties) =>
  isAllowed(scope) ? (
    blocked !== null && <small class="quiet">{blocked}</small>
  ) : (
    <small class="quiet">
      Your key lacks the scope <code>{scope}</code>
    </small>
  )

/** Why a form with the stored values cannot be sent. */
export const unchanged = "No changes yet"

interface ActProperties<T> {
  /** The text of the button, a verb with its noun. */
  readonly action: string
  /** The scope that the request needs. */
  readonly scope?: string
  readonly kind?: "main" | "danger"
  /** Why the button cannot be used now; a button without a reason can be used. */
  readonly blocked?: ComponentChildren
  readonly work: () => Promise<Outcome<T>>
  readonly done: (data: T) => void
}

/** A button that sends one request. A disabled button says why. */
export const Act = <T,>({ action, blocked = null, done, kind, scope, work }: ActProperties<T>) => {
  const doing = useAction(work, done)
  const isDisabled = blocked !== null || doing.isBusy || !isAllowed(scope)
  return (
    <>
      <button type="button" class={kind} disabled={isDisabled} onClick={doing.run}>
        {action}
      </button>
      <Lacks blocked={blocked} scope={scope} />
      {doing.failure !== null && <Failed failure={doing.failure} />}
    </>
  )
}

/** Fields with one button that sends them. The Enter key sends them too. */
export const Form = <T,>({
  action,
  beside,
  blocked = null,
  children,
  done,
  kind = "main",
  scope,
  work
}: ActProperties<T> & {
  readonly children: ComponentChildren
  /** Further buttons beside the one that sends. */
  readonly beside?: ComponentChildren
}) => {
  const doing = useAction(work, done)
  const isDisabled = blocked !== null || doing.isBusy || !isAllowed(scope)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        doing.run()
      }}
    >
      {children}
      {doing.failure !== null && <Failed failure={doing.failure} />}
      <div class="actions">
        <button type="submit" class={kind} disabled={isDisabled}>
          {action}
        </button>
        {beside}
        <Lacks blocked={blocked} scope={scope} />
      </div>
    </form>
  )
}

interface InputProperties {
  readonly label: string
  readonly value: Signal<string>
  readonly hint?: ComponentChildren
  readonly isRequired?: boolean
}

interface Described {
  readonly id: string
  readonly "aria-describedby": string | undefined
}

/** A field below its label, with its hint below. */
const Labelled = ({
  children,
  hint,
  label
}: {
  readonly label: string
  readonly hint: ComponentChildren
  readonly children: (described: Described) => ComponentChildren
}) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ "aria-describedby": hint === undefined ? undefined : `${id}-hint`, id })}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
    </div>
  )
}

/** The kinds of fields of one line; each element has its type in its own text because the types of attributes depend on it. */
const inputs = {
  date: (attributes: Attributes) => <input {...attributes} type="date" />,
  number: (attributes: Attributes) => <input {...attributes} type="number" step="any" />,
  password: (attributes: Attributes) => <input {...attributes} type="password" />,
  text: (attributes: Attributes) => <input {...attributes} type="text" />,
  url: (attributes: Attributes) => <input {...attributes} type="text" inputMode="url" />
}

interface Attributes extends Described {
  readonly value: string
  readonly required: boolean
  readonly autoComplete: "off"
  readonly spellcheck: false
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}

/** A labelled field of one line. */
export const Input = ({
  hint,
  isRequired = true,
  label,
  type = "text",
  value
}: InputProperties & { readonly type?: keyof typeof inputs }) => {
  return (
    <Labelled label={label} hint={hint}>
      {(described) =>
        inputs[type]({
          ...described,
          autoComplete: "off",
          onInput: ({ currentTarget }) => {
            value.value = currentTarget.value
          },
          required: isRequired,
          spellcheck: false,
          value: value.value
        })
      }
    </Labelled>
  )
}

/** A labelled field of several lines. */
export const Area = ({
  hint,
  isRequired = true,
  label,
  rows = 4,
  value
}: InputProperties & { readonly rows?: number }) => {
  return (
    <Labelled label={label} hint={hint}>
      {(described) => (
        <textarea
          {...described}
          rows={rows}
          value={value.value}
          required={isRequired}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            value.value = currentTarget.value
          }}
        />
      )}
    </Labelled>
  )
}

/** A box to tick. */
export const Check = ({
  hint,
  isOn,
  label,
  turn
}: {
  readonly label: ComponentChildren
  readonly isOn: boolean
  readonly turn: (isOn: boolean) => void
  readonly hint?: ComponentChildren
}) => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => turn(currentTarget.checked)} /> {label}
    {hint !== undefined && <small class="quiet">{hint}</small>}
  </label>
)

/** An action that cannot be undone: its button works after the name of the thing is typed. */
export const Confirm = <T,>({
  children,
  name,
  ...act
}: ActProperties<T> & {
  /** The text to type. */
  readonly name: string
  /** Further buttons beside the one that acts. */
  readonly beside?: ComponentChildren
  /** The consequences. */
  readonly children: ComponentChildren
}) => {
  const typed = useSignal("")
  return (
    <Form {...act} kind="danger" blocked={typed.value === name ? null : "The name does not match yet"}>
      <div>{children}</div>
      <Input label={`Type ${name} to confirm`} value={typed} />
    </Form>
  )
}

/** A button that saves a list of the API as a file. */
export const Download = ({
  accept = "text/csv",
  action,
  name,
  path
}: {
  readonly action: string
  readonly path: string
  /** The name of the saved file. */
  readonly name: string
  readonly accept?: string
}) => <Act action={action} work={() => download(path, accept, name)} done={() => {}} />
