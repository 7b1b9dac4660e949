import type { Locator, Page } from 'playwright-core';
import type { Login } from '../../../scripts/lib/n8n/rest.mts';

/** n8n's editor in a browser, by what a person does in it. Its elements are found by n8n's own test ids. */
export class Editor {
	readonly page: Page;
	/** What the panel beside the parameters shows of a run. */
	readonly output: Locator;
	private readonly url: string;

	constructor(page: Page, url: string) {
		this.page = page;
		this.output = page.getByTestId('output-panel');
		this.url = url;
	}

	async signIn({ email, password }: Login): Promise<void> {
		await this.page.goto(`${this.url}/signin`);
		await this.page.locator('input[name=emailOrLdapLoginId]').fill(email);
		await this.page.locator('input[name=password]').fill(password);
		await this.page.getByTestId('form-submit-button').click();
		await this.page.waitForURL(/\/(home|workflow)/);
	}

	async openNode(workflowId: string, name: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
			.dblclick({ position: { x: 40, y: 40 } });
		await this.page.getByTestId('node-parameters').waitFor();
	}

	/** Opens the list of the Form parameter and types into its search; returns what the list then offers. */
	async searchForms(text: string): Promise<Locator> {
		await this.page.getByTestId('rlc-input').click();
		const found = this.page.waitForResponse(
			(response) => response.request().postData()?.includes(`"filter":"${text}"`) ?? false,
		);
		await this.page.getByTestId('rlc-search').pressSequentially(text);
		await found;
		return this.page.getByTestId('rlc-item');
	}

	/** The labels of the fields that the resource mapper asks for. */
	get mappedLabels(): Locator {
		return this.page.getByTestId('mapping-fields-container').locator('.parameter-item label');
	}

	/** What is typed into for a field of the resource mapper, by its label. */
	mappedField(label: string): Locator {
		return this.page
			.getByTestId('mapping-fields-container')
			.locator('.parameter-item', { has: this.page.locator('label', { hasText: label }) })
			.locator('input')
			.last();
	}

	/** Presses the node's own button: Execute step, or Fetch Test Event of a trigger. */
	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}
}
