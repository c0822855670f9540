interface Properties<T extends string> {
  /** What is chosen, for those who hear it. */
  readonly label: string
  readonly chosen: T
  readonly options: ReadonlyArray<{ readonly value: T; readonly text: string }>
  readonly choose: (value: T) => void
}

/** Buttons of which one is pressed. */
export const Choice = <T extends string>({ choose, chosen, label, options }: Properties<T>) => (
  <fieldset class="actions" aria-label={label}>
    {options.map(({ text, value }) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {text}
      </button>
    ))}
  </fieldset>
)
