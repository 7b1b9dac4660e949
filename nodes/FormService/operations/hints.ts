import type { INodeTypeDescription } from 'n8n-workflow';

/** What n8n's AI workflow builder reads of the node. */
export const builderHint: INodeTypeDescription['builderHint'] = {
	searchHint:
		'Adds responses to forms of Form Service, lists and exports responses, gets their PDFs, and updates form settings such as open or closed. To start a workflow on new responses, use Form Service Trigger.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-formservice.formServiceTrigger',
			relationHint: 'Starts a workflow on new responses; gives the form ID and the response UUID',
		},
		{
			nodeType: 'n8n-nodes-base.googleSheets',
			relationHint:
				'Rows with a form ID and settings update many forms with Setting: Update and Map Automatically',
		},
	],
};

/** What the panel of the node says of a choice before it is run. */
export const hints: INodeTypeDescription['hints'] = [
	{
		message:
			"'Download Files' fetches the files of each response one after another, which can take long and a lot of storage. Lower 'Limit' or filter the responses to get fewer.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: '={{ $parameter["options"]?.["downloadFiles"] === true }}',
	},
	{
		message: "No more results than 'Limit' are returned. Turn on 'Return All' to get all of them.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition:
			'={{ $parameter["operation"] === "getAll" && $parameter["returnAll"] === false }}',
	},
];
