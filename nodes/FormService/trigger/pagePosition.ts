/** The position of a page in its list. */
export type PagePosition = { url: string; pagesBefore: number; recordsBefore: number };
