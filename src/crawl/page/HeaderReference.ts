/**
 * A reference of a header field as a URL parser takes it. Field values are bytes, which the client hands on one character
 * each: those above 0x7F are percent-encoded as they are, whatever encoding they were meant in (Fetch standard, location URL).
 */
export const headerReference = (value: string): string =>
  value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
