-- Email. Source: the API reference of each service; docs.aws.amazon.com/cli/latest/reference/ses and sesv2.

local SHOW = "A GET of the same address shows what it is"

return {
  about = "email: SES, SendGrid, Mailgun, Postmark, Mailchimp, Resend, Postfix",
  values = { aws = "--profile --region --output --query" },
  rules = {
    { "ses", runs = "aws ses|sesv2 delete-*|remove-*|put-account-sending-attributes|update-account-sending-enabled", because = "removes a sender, a template or settings", instead = "Use get or list to see what there is" },
    { "sendgrid", http = { "DELETE", "api.sendgrid.com/*" }, because = "removes templates, keys, senders or their settings", instead = SHOW },
    { "mailgun", http = { "DELETE", "api.mailgun.net/*", "api.eu.mailgun.net/*" }, because = "removes domains, lists or their settings", instead = SHOW },
    { "postmark", http = { "DELETE", "api.postmarkapp.com/*" }, because = "removes servers, templates or senders", instead = SHOW },
    { "others", http = { "DELETE", "*.api.mailchimp.com/*", "mandrillapp.com/*", "api.resend.com/*", "api.sparkpost.com/*", "api.brevo.com/*", "api.mailjet.com/*" }, because = "removes lists, keys or senders", instead = SHOW },
    { "postfix", runs = { "postsuper -d", "exim -Mrm" }, because = "removes mail that waits to be sent", instead = "postqueue -p lists it" },
  },
}
