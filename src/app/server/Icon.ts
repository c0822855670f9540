const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3b82f6" stroke-width="2"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg>'

/** The icon as a part of each page, so that browsers send no request for one. */
export const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing)}">`
