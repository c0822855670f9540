import { useId } from "preact/hooks"

/** A field that filters a list: when its text is complete, or at each key. */
export const Search = ({
  isLive = false,
  label,
  search,
  value
}: {
  readonly label: string
  readonly value: string
  readonly search: (text: string) => void
  readonly isLive?: boolean
}) => {
  const id = useId()
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => search(currentTarget.value)
  return (
    <span class="pair">
      <label for={id}>{label}</label>
      <input id={id} type="search" value={value} {...(isLive ? { onInput: take } : { onChange: take })} />
    </span>
  )
}
