const width = 30

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** A bar of 30 places for a share of `total` bytes. */
export const bar = (percent: number, total: number): string => {
  const full = Math.round((width * percent) / 100)
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(percent).padStart(3)} % of ${megabytes(total)}`
}
