import { useId } from "preact/hooks"

/** A field that offers values by their names. */
export const Select = ({
  choose,
  label,
  options,
  value
}: {
  readonly label: string
  readonly value: string
  readonly options: Readonly<Record<string, string>>
  readonly choose: (value: string) => void
}) => {
  const id = useId()
  return (
    <>
      <label for={id}>{label}</label>
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
