/** A link to another host, in a tab of its own that learns nothing of this one. Only web addresses become links; others stay text. */
export const Outside = ({ href, text = href }: { readonly href: string; readonly text?: string }) =>
  /^https?:\/\//.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ) : (
    text
  )
