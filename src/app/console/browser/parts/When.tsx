import { now } from "../Place.ts"
import { absolute, none, relative } from "./Formats.ts"

/** A point in time: how far it is, and when it is. */
export const When = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <>{none}</>
  const time = Date.parse(at)
  return (
    <time dateTime={at}>
      {relative(time, now.value)} <small>{absolute(time)}</small>
    </time>
  )
}
