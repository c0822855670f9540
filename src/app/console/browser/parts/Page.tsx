import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

let isFirst = true

/** A screen: its title for the window and as the one `h1`, which takes the focus when the reader comes from another screen. */
export const Page = ({
  about,
  back,
  children,
  title
}: {
  readonly title: string
  /** The screen above this one: its hash and its name. */
  readonly back?: readonly [href: string, name: string] | undefined
  /** Stands beside the title. */
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${title} – Findable`
  }, [title])
  return (
    <>
      {back !== undefined && (
        <p class="back">
          <a href={back[0]}>← {back[1]}</a>
        </p>
      )}
      <div class="head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about}
      </div>
      {children}
    </>
  )
}
